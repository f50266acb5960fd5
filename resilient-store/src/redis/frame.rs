//! Values as bytes: numbers in big-endian order, text and bytes after their length.

use resilient_core::idempotency::{Answer, Fingerprint, Resource};

/// Writes one part after the other.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn u8(&mut self, number: u8) -> &mut Self {
        self.bytes.push(number);
        self
    }

    pub(crate) fn u16(&mut self, number: u16) -> &mut Self {
        self.array(&number.to_be_bytes())
    }

    pub(crate) fn u32(&mut self, number: u32) -> &mut Self {
        self.array(&number.to_be_bytes())
    }

    pub(crate) fn u64(&mut self, number: u64) -> &mut Self {
        self.array(&number.to_be_bytes())
    }

    /// Bytes of a length that the reader knows.
    pub(crate) fn array(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Bytes after their length.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.u64(bytes.len() as u64).array(bytes)
    }

    pub(crate) fn option<T>(
        &mut self,
        value: Option<T>,
        write: impl FnOnce(&mut Self, T) -> &mut Self,
    ) -> &mut Self {
        self.u8(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
        self
    }

    pub(crate) fn fingerprint(&mut self, fingerprint: &Fingerprint) -> &mut Self {
        let (version, hash) = fingerprint.parts();
        self.u16(version).array(&hash)
    }

    pub(crate) fn resource(&mut self, resource: &Resource) -> &mut Self {
        self.bytes(resource.kind.as_bytes())
            .bytes(resource.id.as_bytes())
    }

    pub(crate) fn answer(&mut self, answer: &Answer) -> &mut Self {
        self.u16(answer.status)
            .bytes(&answer.head)
            .bytes(&answer.body)
    }

    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

/// Reads one part after the other; `None` where there is none.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    left: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader { left: bytes }
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, left) = self.left.split_first_chunk()?;
        self.left = left;
        Some(*taken)
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.u64()?).ok()?;
        let (taken, left) = self.left.split_at_checked(length)?;
        self.left = left;
        Some(taken)
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    /// What [`Writer::option`] wrote; `None` outside if it cannot be read.
    #[allow(clippy::option_option)] // Nothing was written, and nothing can be read, are two things.
    pub(crate) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.u8()? {
            0 => Some(None),
            1 => read(self).map(Some),
            _ => None,
        }
    }

    pub(crate) fn fingerprint(&mut self) -> Option<Fingerprint> {
        Some(Fingerprint::stored(self.u16()?, self.array()?))
    }

    pub(crate) fn resource(&mut self) -> Option<Resource> {
        Some(Resource {
            kind: self.text()?,
            id: self.text()?,
        })
    }

    pub(crate) fn answer(&mut self) -> Option<Answer> {
        Some(Answer {
            status: self.u16()?,
            head: self.bytes()?.to_vec(),
            body: self.bytes()?.to_vec(),
        })
    }

    /// Whether all of it was read.
    pub(crate) fn is_done(&self) -> bool {
        self.left.is_empty()
    }
}
