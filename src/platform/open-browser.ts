import { spawn } from 'node:child_process';

/** The program of each platform that opens a URL with the user's browser, with its arguments before the URL. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const OTHER_OPENER = ['xdg-open'] as const;

/** Opens a URL with the user's browser. @returns whether there is a program for that; it may still fail later. */
export function openBrowser(url: string): Promise<boolean> {
  const [program, ...given] = OPENERS[process.platform] ?? OTHER_OPENER;
  const child = spawn(program, [...given, url], { stdio: 'ignore', detached: true });
  child.unref();
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
}
