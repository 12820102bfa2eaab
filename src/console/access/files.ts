import path from 'node:path';

/** The files of the console's access, in the folder in which only the user who runs Teller can reach it. */
export const linkFileIn = (controlFolder: string): string => path.join(controlFolder, 'console.link');

export const sessionFileIn = (controlFolder: string): string => path.join(controlFolder, 'console.sessions');
