const ANYWHERE = 'http://site.invalid';

/** The path that a query or form asked to go to next; `otherwise` if it is not a path of this site. */
export function localPath(wanted: string | undefined, otherwise: string): string {
  if (wanted === undefined || !wanted.startsWith('/')) return otherwise;
  // Parsed as in browsers: `//other.example` and `/\other.example` also begin with a slash.
  if (!URL.canParse(wanted, ANYWHERE)) return otherwise;
  const url = new URL(wanted, ANYWHERE);
  // `/.//other.example` is normalized to `//other.example`, which would lead to another host.
  const isOurs = url.origin === ANYWHERE && !url.pathname.startsWith('//');
  return isOurs ? url.pathname + url.search : otherwise;
}
