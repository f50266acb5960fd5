//! What is remembered of the subjects that were asked for last.

use std::collections::HashMap;

use super::subject::Subject;

/// A value for each of so many subjects at most.
///
/// They are kept in two halves. When the younger half is full the older one is dropped as a whole and
/// takes its place, so that room is made without looking for it, however many subjects come once and
/// never again. Who is asked for moves to the younger half.
#[derive(Debug)]
pub(super) struct Recent<V> {
    half: usize,
    young: HashMap<Subject, V>,
    old: HashMap<Subject, V>,
}

impl<V> Recent<V> {
    pub(super) fn at_most(most: usize) -> Self {
        Recent {
            half: most.div_euclid(2).max(1),
            young: HashMap::new(),
            old: HashMap::new(),
        }
    }

    pub(super) fn get(&mut self, subject: &Subject) -> Option<&mut V> {
        if !self.young.contains_key(subject) {
            let value = self.old.remove(subject)?;
            self.insert(*subject, value);
        }
        self.young.get_mut(subject)
    }

    pub(super) fn insert(&mut self, subject: Subject, value: V) {
        self.old.remove(&subject);
        if self.young.len() >= self.half && !self.young.contains_key(&subject) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(subject, value);
    }

    pub(super) fn remove(&mut self, subject: &Subject) -> Option<V> {
        let young = self.young.remove(subject);
        young.or_else(|| self.old.remove(subject))
    }

    /// All of them; none is left.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (Subject, V)> + use<V> {
        let young = std::mem::take(&mut self.young).into_iter();
        young.chain(std::mem::take(&mut self.old))
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }
}

#[cfg(test)]
mod tests {
    use resilient_core::Name;

    use super::*;

    fn subject(number: u32) -> Subject {
        Subject::new(&Name::new("api").unwrap(), &number.to_string())
    }

    #[test]
    fn there_are_never_more_than_that_and_the_last_are_among_them() {
        let mut recent = Recent::at_most(10);
        for number in 0..100 {
            recent.insert(subject(number), number);
            assert!(recent.len() <= 10);
            for last in number.saturating_sub(4)..=number {
                assert_eq!(recent.get(&subject(last)), Some(&mut last.clone()));
            }
        }
    }

    #[test]
    fn who_is_asked_for_stays() {
        let mut recent = Recent::at_most(4);
        recent.insert(subject(0), 0);
        for number in 1..100 {
            recent.insert(subject(number), number);
            assert_eq!(recent.get(&subject(0)), Some(&mut 0), "after {number}");
        }
        assert_eq!(recent.remove(&subject(0)), Some(0));
        assert_eq!(recent.get(&subject(0)), None);
    }

    #[test]
    fn a_value_is_replaced_wherever_it_is() {
        let mut recent = Recent::at_most(4);
        for number in [0, 1, 2] {
            recent.insert(subject(number), 0);
        }
        recent.insert(subject(0), 7);
        assert_eq!(recent.len(), 3);
        assert_eq!(recent.get(&subject(0)), Some(&mut 7));
        assert_eq!(recent.drain().count(), 3);
        assert_eq!(recent.len(), 0);
    }
}
