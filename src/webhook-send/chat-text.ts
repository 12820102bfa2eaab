const ZERO_WIDTH_SPACE = '\u200b';

/** Makes text show as it is on a chat platform with markdown: no formatting, links, mentions or line breaks. */
export const plainInChat = (text: string): string =>
  text
    .replaceAll(/[\p{C}\u2028\u2029]+/gu, ' ')
    .replaceAll(/[\\*_~`|>#[\]()<:!-]/g, String.raw`\$&`)
    .replaceAll('@', `@${ZERO_WIDTH_SPACE}`);
