const OPENING = /<(div|span) class="region[^>]*>/;

/** The markup of a page without the time, and without what its script refreshes: an open page keeps the rest. */
export function outsideRegions(html: string): string {
  let rest = html.replace(/ data-now="\d+"/, '');
  for (let found = OPENING.exec(rest); found !== null; found = OPENING.exec(rest)) {
    const tags = new RegExp(`<(/?)${found[1]}\\b[^>]*>`, 'g');
    tags.lastIndex = found.index + 1;
    for (let open = 1; open > 0; ) open += tags.exec(rest)![1] === '/' ? -1 : 1;
    rest = rest.slice(0, found.index) + rest.slice(tags.lastIndex);
  }
  return rest;
}
