//! Builds the book in a folder, and checks that each of its pages is there: `mdbook build FOLDER`, for CI.

use std::path::PathBuf;
use std::process::ExitCode;

use mdbook_driver::MDBook;
use mdbook_driver::book::BookItem;

fn main() -> ExitCode {
    match std::env::args_os()
        .nth(1)
        .map(PathBuf::from)
        .ok_or("give the folder of the book".to_owned())
        .and_then(build)
    {
        Ok(pages) => {
            println!("{pages} pages");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The number of pages.
fn build(folder: PathBuf) -> Result<usize, String> {
    let book = MDBook::load(&folder).map_err(|error| format!("{error:#}"))?;
    book.build().map_err(|error| format!("{error:#}"))?;
    let output = book.build_dir_for("html");
    let mut pages = 0;
    for item in book.iter() {
        let BookItem::Chapter(chapter) = item else { continue };
        let path = chapter.path.as_ref().ok_or_else(|| format!("`{}` has no page", chapter.name))?;
        let page = output.join(path).with_extension("html");
        let text = std::fs::read_to_string(&page).map_err(|error| format!("{}: {error}", page.display()))?;
        // An article that is there and not empty: the renderer has put the page into its frame.
        if !text.contains("<main>") || text.len() < 1000 {
            return Err(format!("{}: this is not a page of the book", page.display()));
        }
        pages += 1;
    }
    Ok(pages)
}
