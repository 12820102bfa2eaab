/** A word of a command that is shown, as a shell reads it. */
export const shellWord = (word: string): string => (/^[\w.:/-]+$/.test(word) ? word : JSON.stringify(word));
