import { describe } from 'vitest';
import { freshLedger } from '../support/ledgers.ts';
import { announcingContract } from './contract/announcing.ts';
import { balancesContract } from './contract/balances.ts';
import { cooldownContract } from './contract/cooldown.ts';
import { eventsContract } from './contract/events.ts';
import { figuresContract } from './contract/figures.ts';
import { forwardingContract } from './contract/forwarding.ts';
import { givingContract } from './contract/giving.ts';
import { grantingContract } from './contract/granting.ts';
import { identityContract } from './contract/identity.ts';
import { importingContract } from './contract/importing.ts';
import { limitsContract } from './contract/limits.ts';
import { operatingContract } from './contract/operating.ts';
import { pausesContract } from './contract/pauses.ts';
import { payingContract } from './contract/paying.ts';
import { playerFiguresContract } from './contract/player-figures.ts';
import { playersContract } from './contract/players.ts';
import { poolsContract } from './contract/pools.ts';
import { receiptsContract } from './contract/receipts.ts';
import { recipientsContract } from './contract/recipients.ts';
import { rewardsContract } from './contract/rewards.ts';
import { stuckContract } from './contract/stuck.ts';
import { talliesContract } from './contract/tallies.ts';
import { termsContract } from './contract/terms.ts';
import { unlistedContract } from './contract/unlisted.ts';
import { voidsContract } from './contract/voids.ts';

const contracts = {
  announcements: announcingContract,
  'the window of rule 3': cooldownContract,
  'the identity of rule 2': identityContract,
  'granting and delivering': grantingContract,
  'rewards that the operator gives': givingContract,
  'the operator’s changes': operatingContract,
  figures: figuresContract,
  'events that other programs are told': eventsContract,
  imports: importingContract,
  'imported counts': balancesContract,
  limits: limitsContract,
  'the game server that the player is on': poolsContract,
  pauses: pausesContract,
  'votes that are forwarded': forwardingContract,
  'votes that another listener pays': payingContract,
  'who a player is': playersContract,
  'the figures of players': playerFiguresContract,
  recipients: recipientsContract,
  'rewards that depend on history': rewardsContract,
  'the figures of services': talliesContract,
  'the times at which votes came': receiptsContract,
  'what needs the operator': stuckContract,
  'the terms of grants': termsContract,
  'votes of services without an entry': unlistedContract,
  'votes that the operator voids': voidsContract,
};

describe.each(Object.entries(contracts))('the SQLite ledger keeps the contract of %s', (_, contract) =>
  contract(async () => freshLedger()),
);
