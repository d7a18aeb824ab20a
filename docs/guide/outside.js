// Links to files of the repository that are not in the book, such as examples, become their paths: only the repository has them.
for (const link of document.querySelectorAll("main a[href]")) {
    const written = link.getAttribute("href");
    const root = new URL(path_to_root || "./", document.baseURI);
    if (!/^[a-z]+:|^#/.test(written) && !link.href.startsWith(root.href)) {
        link.title = "in the repository";
        link.removeAttribute("href");
    }
}
