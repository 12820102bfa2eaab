import { userInfo } from 'node:os';

/** The account that this process runs under; its number if the system has no name for it, as in some containers. */
export function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
