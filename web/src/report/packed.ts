// What a report holds deflated: its rows and its figures.

/** The text of base64 of a deflated text. */
export async function inflated(packed: string): Promise<string> {
  const bytes = Uint8Array.from(atob(packed.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

/** Shows the figures of the page: each is deflated in a template. */
export async function showPictures(): Promise<void> {
  const templates = document.querySelectorAll<HTMLTemplateElement>("template.picture");
  for (const template of templates) {
    const svg = await inflated(template.content.textContent ?? "");
    const image = document.createElement("img");
    image.alt = template.dataset["alt"] ?? "";
    image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    template.replaceWith(image);
  }
}
