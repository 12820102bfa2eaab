export interface View {
  /** In pixels. */
  readonly width: 1280 | 390;
  readonly colorScheme: 'light' | 'dark';
}

export const VIEWS: readonly View[] = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'dark' },
];

export interface Shot {
  readonly state: string;
  readonly page: string;
  readonly view: View;
  /** Its name in the folder of the pictures. */
  readonly file: string;
}

/** A page for a browser with all pictures: a heading for each page and state, and below it the views side by side. */
export function indexOf(shots: readonly Shot[]): string {
  const rows = new Map<string, Shot[]>();
  for (const shot of shots) {
    const name = `${shot.page} · ${shot.state}`;
    rows.set(name, [...(rows.get(name) ?? []), shot]);
  }
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Pages of the console</title><style>${STYLE}</style></head>
<body>
${[...rows]
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, views]) => rowOf(name, views))
  .join('')}
</body>
</html>
`;
}

const rowOf = (name: string, views: readonly Shot[]): string => `<section>
  <h2>${name}</h2>
  <div>${views.map(({ file }) => `<a href="${file}"><img src="${file}" alt="${file}" loading="lazy"></a>`).join('')}</div>
</section>
`;

const STYLE = `
  body { font: 16px system-ui, sans-serif; margin: 24px; background: #888; }
  h2 { margin: 24px 0 8px; }
  div { display: flex; gap: 16px; align-items: start; }
  a { flex: 1 1 0; max-height: 90vh; overflow: auto; }
  a:nth-child(2), a:nth-child(3) { flex: 0 0 18%; }
  img { width: 100%; display: block; }
`;
