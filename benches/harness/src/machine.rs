//! The machine on which the figures were measured.

use std::fs::read_to_string;

/// The processor's name, or its architecture.
#[must_use]
pub fn processor() -> String {
    let named = read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let value = |key: &str| {
            let line = text.lines().find(|line| line.starts_with(key))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        Some(format!(
            "{} (family {} model {})",
            value("model name")?,
            value("cpu family")?,
            value("model\t")?
        ))
    });
    named.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// Cores, and whether some of them are threads of the same core.
#[must_use]
pub fn cores() -> String {
    let cores = std::thread::available_parallelism().map_or(0, |cores| cores.get());
    let smt = match read_to_string("/sys/devices/system/cpu/smt/active").as_deref().map(str::trim) {
        Ok("1") => "with SMT",
        Ok("0") => "without SMT",
        _ => "SMT unknown",
    };
    format!("{cores} cores {smt}")
}

/// The sizes of the caches that a core's data goes through, ascending; none where the system does not say. Unit: bytes.
#[must_use]
pub fn caches() -> Vec<usize> {
    let mut sizes = Vec::new();
    for index in 0..8 {
        let read = |name: &str| {
            let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}");
            read_to_string(path).map(|text| text.trim().to_owned())
        };
        let (Ok(kind), Ok(size)) = (read("type"), read("size")) else { continue };
        let kibibytes = size.strip_suffix('K').and_then(|digits| digits.parse::<usize>().ok());
        if let Some(kibibytes) = kibibytes
            && kind != "Instruction"
        {
            sizes.push(kibibytes << 10);
        }
    }
    sizes.sort_unstable();
    sizes
}

/// The numbers of processes that wanted a core in the last 1, 5 and 15 minutes.
#[must_use]
pub fn load() -> String {
    let text = read_to_string("/proc/loadavg").unwrap_or_default();
    let numbers: Vec<_> = text.split_whitespace().take(3).collect();
    if numbers.is_empty() { "unknown".to_owned() } else { numbers.join(" ") }
}

/// Today, as year-month-day.
///
/// From days to a date: Howard Hinnant, chrono-compatible low-level date algorithms, `civil_from_days`.
#[must_use]
pub fn date() -> String {
    let seconds =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let shifted = seconds / 86_400 + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year + u64::from(month <= 2))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_date_has_its_form() {
        let date = super::date();
        assert!(date.len() == 10 && date.as_str() > "2025-01-01", "{date}");
    }
}
