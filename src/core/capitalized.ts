/** With a capital at the beginning, as a sentence has it. */
export const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
