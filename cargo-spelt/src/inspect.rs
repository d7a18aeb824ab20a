//! `cargo spelt ptx` and `cargo spelt ir`: the compiled kernels.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use cargo_metadata::{Message, TargetKind};

use crate::build::{Build, exit_code};
use crate::command_line::{Form, Own};
use crate::output;
use crate::ptxas::{self, Usage};
use crate::slot::{Kernel, Slot};

/// A kernel with where it was found.
#[derive(Debug)]
struct Found {
    /// The file name of the program.
    program: String,
    kernel: Kernel,
    slot: Slot,
    usage: Option<Usage>,
}

/// Builds the packages that `arguments` select, and shows the kernels that `filter` selects, or a table of all.
pub(crate) fn run(own: &Own, form: Form, filter: Option<&str>, arguments: &[OsString]) -> Result<ExitCode> {
    let mut build = Build::prepare(own, "build", arguments)?;
    build.command.args(["--message-format", "json-render-diagnostics"]).stderr(Stdio::inherit());
    let output = build.command.output().context("cannot run cargo")?;
    if !output.status.success() {
        return Ok(exit_code(output.status));
    }
    let kernels = kernels(&build.slots, &programs(&output.stdout))?;
    if kernels.is_empty() {
        bail!("this build has no kernels: name the program, such as `--example NAME` or `--test NAME`");
    }
    let Some(filter) = filter else {
        output::print(&table(&kernels))?;
        return Ok(ExitCode::SUCCESS);
    };
    let chosen: Vec<&Found> = kernels.iter().filter(|found| is_meant(filter, &found.kernel)).collect();
    if chosen.is_empty() {
        bail!(
            "`{filter}` is not a part of a kernel's label or symbol, nor the FILE:LINE of one:\n{}",
            table(&kernels)
        );
    }
    for found in chosen {
        output::print(&text(form, found)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The programs and dynamic libraries in cargo's messages.
pub(crate) fn programs(messages: &[u8]) -> Vec<PathBuf> {
    let mut programs = Vec::new();
    for message in Message::parse_stream(messages).filter_map(Result::ok) {
        let Message::CompilerArtifact(artifact) = message else { continue };
        if artifact.target.is_kind(TargetKind::ProcMacro) {
            continue;
        }
        let is_library =
            |path: &Path| path.extension().is_some_and(|end| end == std::env::consts::DLL_EXTENSION);
        let libraries = artifact.filenames.into_iter().map(PathBuf::from).filter(|path| is_library(path));
        programs.extend(libraries.chain(artifact.executable.map(PathBuf::from)));
    }
    programs
}

fn kernels(slots: &Path, programs: &[PathBuf]) -> Result<Vec<Found>> {
    let ptxas = ptxas::find()?;
    let mut kernels = Vec::new();
    for path in programs {
        let Some(slot) = Slot::of_executable(slots, path)? else { continue };
        let usage = match &ptxas {
            Some(ptxas) => ptxas::usage(ptxas, &slot.ptx(), slot.arch())?,
            None => HashMap::new(),
        };
        let program = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for kernel in slot.linked().unwrap_or_default().kernels {
            let usage = usage.get(&kernel.symbol).copied();
            kernels.push(Found { program: program.clone(), kernel, slot: slot.clone(), usage });
        }
    }
    kernels.sort_by(|one, other| {
        let place = |found: &Found| (found.program.clone(), found.kernel.file.clone(), found.kernel.line);
        place(one).cmp(&place(other))
    });
    Ok(kernels)
}

fn is_meant(filter: &str, kernel: &Kernel) -> bool {
    let in_name =
        kernel.symbol.contains(filter) || kernel.label.as_ref().is_some_and(|label| label.contains(filter));
    let at_place = filter.rsplit_once(':').is_some_and(|(file, line)| {
        line.parse() == Ok(kernel.line) && Path::new(&kernel.file).ends_with(file)
    });
    in_name || at_place
}

/// A readable name of the kernel: its label, or its closure, or the type of its body.
fn name(kernel: &Kernel) -> String {
    kernel.label.clone().unwrap_or_else(|| {
        // The size and alignment of its parameters come last.
        let symbol = kernel.symbol.rsplit_once('$').map_or(kernel.symbol.as_str(), |(symbol, _)| symbol);
        let symbol = format!("{:#}", rustc_demangle::demangle(symbol));
        let body = symbol.split_once("entry::<").map_or(symbol.as_str(), |(_, body)| body);
        match body.find("::{closure#") {
            Some(end) => format!("closure in {}", path_before(body, end)),
            None => body.split(['<', '>', ' ']).next().unwrap_or(body).to_owned(),
        }
    })
}

/// The path that ends at `end`, without the parameters of its generics.
fn path_before(text: &str, end: usize) -> String {
    let mut depth = 0;
    let mut path: Vec<char> = Vec::new();
    for character in text[..end].chars().rev() {
        match character {
            '>' => depth += 1,
            '<' | '(' | ' ' | ',' | '&' if depth == 0 => break,
            '<' => depth -= 1,
            _ if depth == 0 => path.push(character),
            _ => {}
        }
    }
    let path: String = path.into_iter().rev().collect();
    path.trim_end_matches("::").to_owned()
}

fn table(kernels: &[Found]) -> String {
    let mut rows =
        vec![["program", "kernel", "source", "registers", "spilled", "stack", "shared"].map(str::to_owned)];
    for Found { program, kernel, usage, .. } in kernels {
        let number = |of: fn(&Usage) -> u32| {
            usage.as_ref().map_or_else(|| "?".to_owned(), |usage| of(usage).to_string())
        };
        rows.push([
            program.clone(),
            name(kernel),
            format!("{}:{}", kernel.file, kernel.line),
            number(|usage| usage.registers),
            number(|usage| usage.spills.0 + usage.spills.1),
            number(|usage| usage.stack),
            number(|usage| usage.shared),
        ]);
    }
    let mut widths = [0; 7];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut table = String::new();
    for row in &rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            // Words to the left, numbers to the right.
            let padding = " ".repeat(width - cell.chars().count());
            line.push_str(&if column < 3 {
                format!("{cell}{padding}  ")
            } else {
                format!("{padding}{cell}  ")
            });
        }
        table.push_str(line.trim_end());
        table.push('\n');
    }
    if kernels.iter().any(|found| found.usage.is_none()) {
        table.push_str("ptxas, which computes the numbers, was not found: put it on PATH, or its path in ");
        table.push_str(ptxas::VARIABLE);
        table.push('\n');
    } else {
        table.push_str("registers of a thread; bytes of a thread spilled and on the stack; static shared bytes of a block\n");
    }
    table
}

fn text(form: Form, found: &Found) -> Result<String> {
    let Found { program, kernel, slot, usage } = found;
    let (comment, path) = match form {
        Form::Ptx => ("//", slot.ptx()),
        Form::Ir => (";", slot.ir()),
    };
    let all = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let body = body(form, &all, &kernel.symbol)
        .with_context(|| format!("{} has no kernel `{}`", path.display(), kernel.symbol))?;
    let mut text =
        format!("{comment} kernel `{}`, {}:{}, in {program}\n", name(kernel), kernel.file, kernel.line);
    if let Some(usage) = usage {
        let (stores, loads) = usage.spills;
        writeln!(
            text,
            "{comment} {} registers, {stores} + {loads} bytes of spill stores and loads, {} bytes of stack, {} bytes of \
             static shared memory",
            usage.registers, usage.stack, usage.shared
        )?;
    }
    writeln!(text, "{comment} all of the program: {}\n{body}", path.display())?;
    Ok(text)
}

/// The part of a file that is the kernel: from the line that names it to the brace that closes it.
fn body<'a>(form: Form, all: &'a str, symbol: &str) -> Option<&'a str> {
    let begins = |line: &str| match form {
        Form::Ptx => line.split_once(".entry ").is_some_and(|(_, rest)| is_named(rest, symbol)),
        Form::Ir => {
            let name =
                line.strip_prefix("define ").and_then(|line| line.split_once('@')).map(|(_, rest)| rest);
            name.is_some_and(|rest| is_named(rest.trim_start_matches('"'), symbol))
        }
    };
    let mut start = None;
    let mut offset = 0;
    for line in all.split_inclusive('\n') {
        let end = offset + line.len();
        if start.is_none() && begins(line) {
            start = Some(offset);
        }
        if let Some(start) = start
            && line.trim_end() == "}"
        {
            return Some(&all[start..end]);
        }
        offset = end;
    }
    None
}

fn is_named(rest: &str, symbol: &str) -> bool {
    rest.strip_prefix(symbol).is_some_and(|rest| rest.trim_start_matches('"').starts_with('('))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_cut_out_of_its_file() {
        let ptx = ".version 7.0\n.visible .entry ab(\n)\n{\n\tret;\n}\n.visible .entry a(\n)\n{\n\t{ x; }\n\tret;\n}\nend\n";
        assert_eq!(body(Form::Ptx, ptx, "a"), Some(".visible .entry a(\n)\n{\n\t{ x; }\n\tret;\n}\n"));
        assert_eq!(body(Form::Ptx, ptx, "b"), None);
        let ir = "define ptx_kernel void @ab(ptr %0) {\n  ret void\n}\ndefine ptx_kernel void @\"a\"(ptr %0) #1 {\n}\n";
        assert_eq!(body(Form::Ir, ir, "a"), Some("define ptx_kernel void @\"a\"(ptr %0) #1 {\n}\n"));
    }

    #[test]
    fn kernels_without_a_label_have_a_name() {
        let named =
            |symbol: &str| name(&Kernel { symbol: symbol.into(), label: None, file: String::new(), line: 0 });
        let closure = "_RINvNtCs1_17spelt_kernels_gpu6kernel5entryINtCs2_14spelt_launcher3MapNCINvCs3_7program3runmE0EEB1_";
        assert_eq!(named(closure), "closure in program::run");
        let of_spelt = "_RINvNtCs1_17spelt_kernels_gpu6kernel5entryINtCs2_14spelt_launcher3MapmEEB1_";
        assert_eq!(named(of_spelt), "spelt_launcher::Map");
        assert_eq!(named("axpy"), "axpy");
    }

    #[test]
    fn filters_are_labels_symbols_and_places() {
        let kernel =
            Kernel { symbol: "_R1e".into(), label: Some("axpy".into()), file: "src/main.rs".into(), line: 7 };
        for filter in ["axp", "R1", "main.rs:7", "src/main.rs:7"] {
            assert!(is_meant(filter, &kernel), "{filter}");
        }
        for filter in ["dot", "main.rs:8", "in.rs:7"] {
            assert!(!is_meant(filter, &kernel), "{filter}");
        }
    }
}
