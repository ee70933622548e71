//! The output of `mysqldump` for the database of a shop.
//!
//! Each table has its definition, and then `INSERT` statements of about a megabyte (the `net_buffer_length` of
//! mysqldump) with thousands of rows in one line.

use std::io::Write;

use crate::Source;
use crate::random::Random;
use crate::text::{START_OF_2007, push_date, push_time};
use crate::text::{Words, push_fixed, push_name, push_number};

/// mysqldump starts a new statement when the next row would pass its buffer.
const STATEMENT_LEN: usize = 1_046_528;
const STATEMENTS_PER_TABLE: u32 = 8;

/// A table's name and its columns as SQL.
struct Table {
    name: &'static str,
    columns: &'static [&'static str],
    push_row: fn(&mut Dump, &mut Vec<u8>),
}

const TABLES: [Table; 3] = [
    Table {
        name: "customers",
        columns: &[
            "`id` int(10) unsigned NOT NULL AUTO_INCREMENT",
            "`login` varchar(32) NOT NULL",
            "`email` varchar(64) NOT NULL",
            "`password` char(32) NOT NULL",
            "`created` datetime NOT NULL",
            "`city` varchar(48) DEFAULT NULL",
            "`balance` decimal(10,2) NOT NULL",
        ],
        push_row: Dump::push_customer,
    },
    Table {
        name: "orders",
        columns: &[
            "`id` bigint(20) unsigned NOT NULL AUTO_INCREMENT",
            "`customer_id` int(10) unsigned NOT NULL",
            "`ordered` datetime NOT NULL",
            "`shipped` date DEFAULT NULL",
            "`status` enum('open','paid','shipped','returned') NOT NULL",
            "`price` decimal(10,2) NOT NULL",
            "`comment` varchar(255) DEFAULT NULL",
        ],
        push_row: Dump::push_order,
    },
    Table {
        name: "articles",
        columns: &[
            "`id` int(10) unsigned NOT NULL AUTO_INCREMENT",
            "`title` varchar(128) NOT NULL",
            "`body` text",
            "`rating` tinyint(4) DEFAULT NULL",
        ],
        push_row: Dump::push_article,
    },
];

pub struct Dump {
    random: Random,
    words: Words,
    cities: Words,
    table: usize,
    statements: u32,
    row: u64,
    seconds: u64,
}

impl Dump {
    pub fn new(mut random: Random) -> Self {
        let words = Words::new(&mut random, 4000);
        let cities = Words::new(&mut random, 300);
        Self { random, words, cities, table: 0, statements: 0, row: 0, seconds: START_OF_2007 }
    }

    fn push_definition(&self, out: &mut Vec<u8>) {
        let Table { name, columns, .. } = &TABLES[self.table];
        let columns = columns.join(",\n  ");
        // Writing to a Vec cannot fail.
        let _ = write!(
            out,
            "--\n-- Table structure for table `{name}`\n--\n\nDROP TABLE IF EXISTS `{name}`;\n\
             CREATE TABLE `{name}` (\n  {columns},\n  PRIMARY KEY (`id`)\n\
             ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;\n\n--\n-- Dumping data for table `{name}`\n\
             --\n\nLOCK TABLES `{name}` WRITE;\n\
             /*!40000 ALTER TABLE `{name}` DISABLE KEYS */;\n"
        );
    }

    fn push_end(&self, out: &mut Vec<u8>) {
        let name = TABLES[self.table].name;
        let _ = write!(out, "/*!40000 ALTER TABLE `{name}` ENABLE KEYS */;\nUNLOCK TABLES;\n\n");
    }

    fn push_customer(&mut self, out: &mut Vec<u8>) {
        let random = &mut self.random;
        let login = out.len() + 1;
        out.push(b'\'');
        push_name(out, random, 5, 14);
        let login = out[login..].to_vec();
        out.extend_from_slice(b"','");
        out.extend_from_slice(&login);
        out.push(b'@');
        let provider = random.one_of(&["gmail.com", "gmail.com", "yahoo.com", "mail.example"]);
        out.extend_from_slice(provider.as_bytes());
        out.extend_from_slice(b"','");
        let hash = (random.next(), random.next());
        let _ = write!(out, "{:016x}{:016x}", hash.0, hash.1);
        out.extend_from_slice(b"','");
        push_time(out, self.seconds);
        out.extend_from_slice(b"','");
        self.cities.push(out, random, 1);
        out.extend_from_slice(b"',");
        push_fixed(out, random.below(100_000) as i64, 2);
    }

    fn push_order(&mut self, out: &mut Vec<u8>) {
        let random = &mut self.random;
        push_number(out, random.below(200_000));
        out.extend_from_slice(b",'");
        push_time(out, self.seconds);
        out.push(b'\'');
        if random.percent(90) {
            out.extend_from_slice(b",'");
            push_date(out, self.seconds / 86_400 + random.below(9));
            out.extend_from_slice(b"','");
            let status = random.one_of(&["shipped", "shipped", "shipped", "paid", "returned"]);
            out.extend_from_slice(status.as_bytes());
            out.extend_from_slice(b"',");
        } else {
            out.extend_from_slice(b",NULL,'open',");
        }
        push_fixed(out, random.below(50_000) as i64, 2);
        if random.percent(40) {
            out.extend_from_slice(b",'");
            let count = random.between(2, 12);
            self.words.push(out, random, count);
            out.push(b'\'');
        } else {
            out.extend_from_slice(b",NULL");
        }
    }

    fn push_article(&mut self, out: &mut Vec<u8>) {
        let random = &mut self.random;
        out.push(b'\'');
        let count = random.between(2, 8);
        self.words.push(out, random, count);
        out.extend_from_slice(b"','<p>");
        for _ in 0..random.between(1, 12) {
            let count = random.between(4, 18);
            self.words.push(out, random, count);
            out.extend_from_slice(random.one_of(&[". ", ". ", ", ", "?</p>\\r\\n<p>"]).as_bytes());
        }
        out.extend_from_slice(b"</p>',");
        push_number(out, random.below(6));
    }
}

impl Source for Dump {
    /// One statement, with the text between tables if a table begins or ends there.
    fn append(&mut self, out: &mut Vec<u8>) {
        if self.statements == 0 {
            self.push_definition(out);
        }
        let Table { name, push_row, .. } = &TABLES[self.table];
        let start = out.len();
        let _ = write!(out, "INSERT INTO `{name}` VALUES ");
        while out.len() - start < STATEMENT_LEN {
            self.row += 1;
            self.seconds += self.random.below(60);
            out.push(b'(');
            push_number(out, self.row);
            out.push(b',');
            push_row(self, out);
            out.extend_from_slice(b"),");
        }
        out.pop();
        out.extend_from_slice(b";\n");
        self.statements += 1;
        if self.statements == STATEMENTS_PER_TABLE {
            self.push_end(out);
            self.statements = 0;
            self.table = (self.table + 1) % TABLES.len();
        }
    }
}
