/** The IANA name of this machine's time zone; `UTC` where the system names none that is known. */
export function systemZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return isZone(timeZone) ? timeZone : 'UTC';
}

/** Under a TZ that is empty or unknown, the name is absent or one that no formatter accepts. */
function isZone(name: string | undefined): name is string {
  try {
    return name !== undefined && new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
