import { printable } from '../core/printable.ts';
import { COMMAND_BYTES_MAX } from '../core/template-bytes.ts';
import type { GrantChangePlan } from '../operator/grants/change.ts';
import { commandChanges } from '../operator/grants/rerender.ts';
import type { Terminal } from '../platform/terminal.ts';

const WIDTH = 4;

/** Shows the old and new commands before anything is changed. */
export function printRerendered(terminal: Terminal, { rerendered, to }: GrantChangePlan): void {
  for (const each of rerendered?.values() ?? []) {
    if (each.kind === 'moved-on') continue;
    terminal.err(`grant ${each.grant.id}: ${each.grant.reward} on ${each.grant.server}`);
    for (const { kind, command } of commandChanges(each, to)) {
      terminal.err(`  ${kind.padEnd(WIDTH)}  ${printable(command, COMMAND_BYTES_MAX)}`);
    }
  }
}
