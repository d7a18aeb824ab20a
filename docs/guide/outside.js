// Links to files of the repository that are not in the book, such as examples, become text: only the repository has them.
for (const link of document.querySelectorAll("main a[href]")) {
    const written = link.getAttribute("href");
    const root = new URL(path_to_root || "./", document.baseURI);
    if (!/^[a-z]+:|^#/.test(written) && !link.href.startsWith(root.href)) {
        const text = document.createElement("span");
        text.title = "in the repository";
        text.append(...link.childNodes);
        link.replaceWith(text);
    }
}
