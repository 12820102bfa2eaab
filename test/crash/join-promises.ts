import type { Attendance } from './attendance.ts';
import { stateFaults } from './grant-promises.ts';
import { grantsOf, type LedgerContents } from './ledger-contents.ts';
import { hasRun, type RecordedCommand } from './minecraft-server.ts';
import { RETURN } from './sites.ts';

/** What waits for the player to join is paid once, and only after they came to the game server since it was granted. */
export function joinFaults(
  contents: LedgerContents,
  recorded: readonly RecordedCommand[],
  attendance: Attendance,
): string[] {
  return grantsOf(contents, RETURN.name).flatMap((grant) => {
    const { id, player, createdAt, commands } = grant;
    const text = commands[0]?.command.toLowerCase();
    const ran = recorded.filter((each) => hasRun(each) && each.command.toLowerCase() === text);
    return [
      ...stateFaults(grant),
      ...(ran.length > 1 ? [`grant ${id} of ${RETURN.name} was paid ${ran.length} times`] : []),
      ...ran
        .filter(({ at }) => !attendance.hasJoined(player ?? '', createdAt, at))
        .map(
          ({ command }) =>
            `“${command}” was received before the player of grant ${id} had left and come back`,
        ),
    ];
  });
}
