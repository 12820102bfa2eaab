/** Messages with `&` codes, as the game's JSON text. Placeholders stay open, and their values need no escaping in JSON. */

const COLOURS: ReadonlyMap<string, string> = new Map([
  ...([
    ['0', 'black'],
    ['1', 'dark_blue'],
    ['2', 'dark_green'],
    ['3', 'dark_aqua'],
  ] as const),
  ...([
    ['4', 'dark_red'],
    ['5', 'dark_purple'],
    ['6', 'gold'],
    ['7', 'gray'],
  ] as const),
  ...([
    ['8', 'dark_gray'],
    ['9', 'blue'],
    ['a', 'green'],
    ['b', 'aqua'],
  ] as const),
  ...([
    ['c', 'red'],
    ['d', 'light_purple'],
    ['e', 'yellow'],
    ['f', 'white'],
  ] as const),
]);

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['k', 'obfuscated'],
  ['l', 'bold'],
  ['m', 'strikethrough'],
  ['n', 'underlined'],
  ['o', 'italic'],
]);

/** `&&` is one `&`. Any other `&` is text. */
const CODE = /&(&|#[0-9a-f]{6}|[0-9a-fk-or])/gi;

/** How a part looks: `color`, and the formats that are on. */
type Style = Readonly<Record<string, string | true>>;

interface Part {
  readonly text: string;
  readonly style: Style;
}

/** Whether a message has colours such as `&#ff8800`, which the game knows since version 1.16. */
export const usesHexColours = (message: string): boolean =>
  [...message.matchAll(CODE)].some(([, code = '']) => code.startsWith('#'));

/** The message as one JSON value: an object, or a list whose parts do not inherit from each other. */
export function messageJson(message: string): string {
  const parts = partsOf(message).map(({ text, style }) => ({ text, ...style }));
  const [only = { text: '' }] = parts;
  return JSON.stringify(parts.length <= 1 ? only : ['', ...parts]);
}

/** What a message of `messageJson` says, without colours and formats. */
export function messagePlain(json: string): string {
  const written = JSON.parse(json) as Written | readonly Written[];
  return [written]
    .flat()
    .map((part) => (typeof part === 'string' ? part : part.text))
    .join('');
}

type Written = string | { readonly text: string };

function partsOf(message: string): readonly Part[] {
  const parts: Part[] = [];
  let style: Style = {};
  let text = '';
  let at = 0;
  for (const { 0: written, 1: code = '', index } of message.matchAll(CODE)) {
    text += message.slice(at, index);
    at = index + written.length;
    if (code === '&') {
      text += '&';
      continue;
    }
    if (text !== '') parts.push({ text, style });
    text = '';
    style = styleAfter(style, code.toLowerCase());
  }
  text += message.slice(at);
  return text === '' ? parts : [...parts, { text, style }];
}

/** A colour ends the formats before it, as in the game's own codes. */
function styleAfter(style: Style, code: string): Style {
  if (code.startsWith('#')) return { color: code };
  const color = COLOURS.get(code);
  if (color !== undefined) return { color };
  const format = FORMATS.get(code);
  return format === undefined ? {} : { ...style, [format]: true };
}
