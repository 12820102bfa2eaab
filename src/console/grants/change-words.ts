import type { Offered } from '../../operator/grants/offered.ts';
import { amount } from '../../web/kit.ts';
import { GRANTS } from './group-card.ts';

const COMMANDS = { one: 'command', many: 'commands' };

/** What a change would do, in one line. */
export function summary(offered: Offered, grants: number, runs: number, player: string): string {
  const some = amount(grants, GRANTS);
  switch (offered) {
    case 'pay':
    case 'anew':
      return `Pay ${some}: ${amount(runs, COMMANDS)} will run`;
    case 'redirect':
      return `Pay ${player} instead, for ${some}: ${amount(runs, COMMANDS)} will run`;
    case 'ran':
      return `Count the command that stopped ${grants === 1 ? 'it' : 'each'} as run: ${amount(runs, COMMANDS)} will run`;
    case 'mark-paid':
      return `Mark ${some} as paid: no command will run`;
    case 'cancel':
      return `Cancel ${some}: no command will run`;
  }
}

/** What the button says that makes it. */
export function confirmLabel(offered: Offered, count: number, player: string): string {
  const some = amount(count, GRANTS);
  switch (offered) {
    case 'pay':
      return `Pay ${some}`;
    case 'anew':
      return `Pay ${some} with the new commands`;
    case 'redirect':
      return `Pay ${player} instead`;
    case 'ran':
      return `Go on with ${some}`;
    case 'mark-paid':
      return `Mark ${some} as paid`;
    case 'cancel':
      return `Cancel ${some}`;
  }
}
