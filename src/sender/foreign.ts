const PRINTABLE_MAX_CHARACTERS = 200;

/** Makes text from the other side safe to show: one line, no control characters, limited length. */
export const printable = (text: string): string =>
  Array.from(text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim())
    .slice(0, PRINTABLE_MAX_CHARACTERS)
    .join('');

const SHAPES: readonly (readonly [string, RegExp])[] = [
  ['a web server (HTTP)', /^(?:HTTP\/|<!doctype|<html)/i],
  ['an SSH server', /^SSH-/],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a TLS alert begins 15 03, a handshake 16 03
  ['a TLS port', /^[\x15\x16]\x03/],
  // The kick packet of old versions, or the text component in that of newer ones.
  ['a Minecraft game server', /^\xff\0|\{"(?:translate|text)":/],
  ['a mail or FTP server', /^(?:220|421|554)[ -]/],
  // Three bytes of length, packet 0, then protocol 10 or an error.
  ['a MySQL server', /^.{3}\0[\n\xff]/s],
];

/** Recognizes a server that is not a Votifier by its first bytes. */
export function looksLike(received: Buffer): string {
  const start = received.toString('latin1', 0, 256);
  const known = SHAPES.find(([, shape]) => shape.test(start))?.[0];
  if (known !== undefined) return known;
  const words = printable(start.slice(0, 40));
  return words === '' ? 'something unknown' : `something unknown that begins "${words}"`;
}
