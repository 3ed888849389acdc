//! Thrift's compact protocol, as far as the headers and the footer of a Parquet file need it.
//!
//! A field begins with a byte: how much its number exceeds that of the field before, and its type. For example, field 1
//! with the 32-bit integer 3 is the bytes `15 06`: 1 more than 0, type 5, and 3 as a number that is never negative.

/// The types of fields and of the items of lists.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(super) enum ThriftType {
    True = 1,
    False = 2,
    Byte = 3,
    Short = 4,
    Int = 5,
    Long = 6,
    Binary = 8,
    List = 9,
    Struct = 12,
}

/// A structure that is being written. The numbers of its fields ascend.
#[derive(Default)]
pub(super) struct ThriftWriter {
    bytes: Vec<u8>,
    /// The number of the field that was written last.
    last: u8,
}

/// Writes a number in as few bytes as it needs, seven bits in each, the lowest first.
pub(super) fn put_varint(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// The number that stands for a signed one: 0, -1, 1, -2 become 0, 1, 2, 3.
pub(super) fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

impl ThriftWriter {
    /// The bytes of a whole structure.
    pub fn whole(fill: impl FnOnce(&mut Self)) -> Vec<u8> {
        let mut writer = Self::default();
        fill(&mut writer);
        writer.bytes.push(0);
        writer.bytes
    }

    fn field(&mut self, number: u8, kind: ThriftType) {
        self.bytes.push((number - self.last) << 4 | kind as u8);
        self.last = number;
    }

    pub fn int(&mut self, number: u8, value: usize) {
        self.field(number, ThriftType::Int);
        put_varint(&mut self.bytes, zigzag(value as i64));
    }

    pub fn long(&mut self, number: u8, value: u64) {
        self.field(number, ThriftType::Long);
        put_varint(&mut self.bytes, zigzag(value as i64));
    }

    pub fn short(&mut self, number: u8, value: usize) {
        self.field(number, ThriftType::Short);
        put_varint(&mut self.bytes, zigzag(value as i64));
    }

    pub fn byte(&mut self, number: u8, value: u8) {
        self.field(number, ThriftType::Byte);
        self.bytes.push(value);
    }

    pub fn flag(&mut self, number: u8, value: bool) {
        self.field(number, if value { ThriftType::True } else { ThriftType::False });
    }

    pub fn binary(&mut self, number: u8, value: &[u8]) {
        self.field(number, ThriftType::Binary);
        self.binary_item(value);
    }

    /// A field that is a structure.
    pub fn structure(&mut self, number: u8, fill: impl FnOnce(&mut Self)) {
        self.field(number, ThriftType::Struct);
        self.structure_item(fill);
    }

    /// A field that is a list. `fill` writes the items.
    pub fn list(&mut self, number: u8, kind: ThriftType, count: usize, fill: impl FnOnce(&mut Self)) {
        self.field(number, ThriftType::List);
        if count < 15 {
            self.bytes.push((count as u8) << 4 | kind as u8);
        } else {
            self.bytes.push(0xf0 | kind as u8);
            put_varint(&mut self.bytes, count as u64);
        }
        fill(self);
    }

    /// An item of a list of structures.
    pub fn structure_item(&mut self, fill: impl FnOnce(&mut Self)) {
        let last = std::mem::replace(&mut self.last, 0);
        fill(self);
        self.bytes.push(0);
        self.last = last;
    }

    /// An item of a list of bytes or texts.
    pub fn binary_item(&mut self, value: &[u8]) {
        put_varint(&mut self.bytes, value.len() as u64);
        self.bytes.extend_from_slice(value);
    }

    /// An item of a list of integers.
    pub fn number_item(&mut self, value: u64) {
        put_varint(&mut self.bytes, zigzag(value as i64));
    }

    /// An item of a list of flags.
    pub fn flag_item(&mut self, value: bool) {
        self.bytes.push(if value { ThriftType::True } else { ThriftType::False } as u8);
    }
}
