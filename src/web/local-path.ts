const ANYWHERE = 'http://site.invalid';

/** Where to go next, as a query or a form asked for it: a path of this site, or `otherwise`. */
export function localPath(wanted: string | undefined, otherwise: string): string {
  if (wanted === undefined || !wanted.startsWith('/')) return otherwise;
  // Parsed as browsers do: `//other.example` and `/\other.example` begin with a slash too.
  if (!URL.canParse(wanted, ANYWHERE)) return otherwise;
  const url = new URL(wanted, ANYWHERE);
  // `/.//other.example` is a path here, and would be another host once it stands alone.
  const isOurs = url.origin === ANYWHERE && !url.pathname.startsWith('//');
  return isOurs ? url.pathname + url.search : otherwise;
}
