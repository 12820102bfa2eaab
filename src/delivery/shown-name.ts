/** A name, which may have the prefix of a Bedrock player. Anything else in a list of a game server is not a name. */
const SHOWN_NAME = /^(?=.{1,16}$)[^\s\w@"'\\/#;,:()[\]<>\p{Cc}]{0,3}\w+$/u;

/** Whether what a game server shows can be the name of a player. */
export const isShownName = (text: string): boolean => SHOWN_NAME.test(text);
