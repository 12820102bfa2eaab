/** Waits for what is under way in this process, so that the time that a test moves does not overtake it. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { answered, callsUnderWay } from '../support/environment.ts';

/** Peers in this process hear from each other within a turn or two, and a conversation takes several. */
const TURNS = 8;
/** Whatever takes longer in real time is waiting for something else, such as a lock that another process holds. */
const LONGEST_MS = 20;
const READING = /^(?:FSReq|FileHandleCloseReq|GetAddrInfo)/;

/** Resolves when no ledger is being asked, no file is being read and no name is being looked up. */
export async function quiet(): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  do {
    for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
    if (callsUnderWay() > 0) await Promise.race([answered(), sleep(LONGEST_MS)]);
    else if (process.getActiveResourcesInfo().some((name) => READING.test(name))) await sleep(1);
    else return;
  } while (performance.now() < end);
}
