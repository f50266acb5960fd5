//! A map that forgets.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// A map of bounded size. What is put in goes to the young generation; when that is full it becomes
/// the old one, and the old one is forgotten. So at least the last half of the capacity is kept, and
/// at no time is there more than the capacity, without an order to be maintained.
#[derive(Debug)]
pub(super) struct Generations<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
    half: usize,
}

impl<K: Eq + Hash, V> Generations<K, V> {
    /// For up to `capacity` entries, at least 2.
    pub(super) fn new(capacity: usize) -> Self {
        Generations {
            young: HashMap::new(),
            old: HashMap::new(),
            half: (capacity / 2).max(1),
        }
    }

    pub(super) fn insert(&mut self, key: K, value: V) {
        self.old.remove(&key);
        if self.young.len() >= self.half && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }

    pub(super) fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.young.get(key).or_else(|| self.old.get(key))
    }

    pub(super) fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.young.remove(key).or_else(|| self.old.remove(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<K, V> Generations<K, V> {
        fn len(&self) -> usize {
            self.young.len() + self.old.len()
        }
    }

    #[test]
    fn i57_it_is_bounded_and_keeps_the_latest_half() {
        let mut map = Generations::new(1000);
        for key in 0..10_000 {
            map.insert(key, key);
            assert!(map.len() <= 1000);
        }
        assert!((9_500..10_000).all(|key| map.get(&key) == Some(&key)));
        assert!((0..9_000).all(|key| map.get(&key).is_none()));
    }

    #[test]
    fn a_key_has_one_value() {
        let mut map = Generations::new(4);
        map.insert("a", 1);
        map.insert("b", 2);
        map.insert("c", 3);
        map.insert("a", 4);
        assert_eq!(map.get("a"), Some(&4));
        assert_eq!(map.remove("a"), Some(4));
        assert_eq!(map.get("a"), None, "the older value is not behind it");
        assert_eq!(map.len(), 2);
    }
}
