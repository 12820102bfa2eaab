/** Shorter parts of a URL, such as `api`, are no secret. */
const SECRET_LENGTH = 6;

/** Hides the parts of a URL in what its receiver answered, because one that repeats them would show the secret (rule 10). */
export function withoutUrl(text: string, url: URL): string {
  const parts = [url.pathname, ...url.pathname.split('/'), ...url.searchParams.values(), url.search.slice(1)];
  const secrets = [...parts, ...parts.map(decoded)].filter((part) => part.length >= SECRET_LENGTH);
  return [url.href, url.host, ...secrets]
    .toSorted((a, b) => b.length - a.length)
    .reduce((hidden, secret) => hidden.replaceAll(secret, '(hidden)'), text);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
