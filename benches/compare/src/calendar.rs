//! Dates and times of UTC as text, from days and seconds since 1970.
//!
//! The generators of data and the description of the machine append them to a buffer.

/// Seconds since 1970 of the first day of 2007, at which the generated histories begin.
pub const START_OF_2007: u64 = 1_167_609_600;

/// Appends `2010-10-20 19:45:39` for a number of seconds since 1970.
pub fn push_time(out: &mut Vec<u8>, seconds: u64) {
    push_date(out, seconds / 86_400);
    let second = seconds % 86_400;
    for (mark, value) in [(b' ', second / 3600), (b':', second / 60 % 60), (b':', second % 60)] {
        out.push(mark);
        push_two_digits(out, value);
    }
}

/// Appends `2010-10-20` for a number of days since 1970.
pub fn push_date(out: &mut Vec<u8>, days: u64) {
    let (year, month, day) = date_of(days);
    push_two_digits(out, year / 100);
    push_two_digits(out, year % 100);
    for value in [month, day] {
        out.push(b'-');
        push_two_digits(out, value);
    }
}

fn push_two_digits(out: &mut Vec<u8>, value: u64) {
    out.push(b'0' + (value / 10) as u8);
    out.push(b'0' + (value % 10) as u8);
}

/// Year, month and day of a number of days since 1970. The algorithm is Howard Hinnant's `civil_from_days`.
fn date_of(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_follow_the_calendar() {
        for (seconds, expected) in [
            (START_OF_2007, "2007-01-01 00:00:00"),
            (951_868_799, "2000-02-29 23:59:59"),
            (951_868_800, "2000-03-01 00:00:00"),
            (1_798_761_599, "2026-12-31 23:59:59"),
        ] {
            let mut out = Vec::new();
            push_time(&mut out, seconds);
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
    }
}
