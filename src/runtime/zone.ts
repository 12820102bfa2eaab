/** The IANA name of this machine's time zone; `UTC` if the system has no valid one. */
export function systemZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return isZone(timeZone) ? timeZone : 'UTC';
}

/** If TZ is empty or unknown, the name is missing or not accepted by any formatter. */
function isZone(name: string | undefined): name is string {
  try {
    return name !== undefined && new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
