import { deliveryOperations } from './dashboard-delivery-operations.ts';
import { flag, type Operation, word } from './dashboard-operation.ts';

/** Listings, tokens, people and votes. */
const listingOperations: readonly Operation[] = [
  {
    name: 'listings',
    does: 'the listings that the account looks after',
    about: 'none',
    page: '/dashboard',
    rows: 'listings',
    columns: ['id', 'name', 'game', 'role'],
  },
  {
    name: 'add-listing',
    does: 'add a listing; the account becomes its owner',
    arguments: [['<name>', 'its name']],
    options: [
      ['--kind <kind>', 'bot, minecraft, fivem, roblox or hytale (default: minecraft)'],
      ['--premium', 'each vote weighs 2, and still counts as one'],
    ],
    about: 'none',
    page: '/new-listing',
    form: '/new-listing',
    fields: (given) => ({
      name: word(given),
      kind: flag(given, 'kind') ?? 'minecraft',
      ...(given.flags.premium === true ? { premium: 'on' } : {}),
    }),
  },
  { name: 'overview', does: 'votes of 30 days, top voters, webhook, statistics', about: 'own', page: '' },
  {
    name: 'remove-listing',
    does: 'remove the listing for good',
    options: [['--yes', 'without asking']],
    question: 'Remove the listing, its webhook and its tokens for good?',
    about: 'own',
    page: '',
    form: '/remove',
  },
  {
    name: 'tokens',
    does: 'the API tokens',
    about: 'own',
    page: '/tokens',
    rows: 'tokens',
    columns: ['id', 'name', 'scopes', 'createdAt', 'lastUsedAt'],
  },
  {
    name: 'create-token',
    does: 'make an API token; it is shown this once',
    arguments: [['<name>', 'which program it is for']],
    options: [['--scope <scope...>', 'votes:read, webhooks:write, stats:write (default: votes:read)']],
    about: 'own',
    page: '/tokens',
    form: '/tokens',
    fields: (given) => ({
      name: word(given),
      scopes: (given.flags.scope as string[] | undefined) ?? ['votes:read'],
    }),
  },
  {
    name: 'rotate-token',
    does: 'replace a token by a new one; the old one is refused at once',
    arguments: [['<id>', 'see tokens']],
    about: 'own',
    page: '/tokens',
    form: '/tokens/rotate',
    fields: (given) => ({ token: word(given) }),
  },
  {
    name: 'revoke-token',
    does: 'end a token',
    arguments: [['<id>', 'see tokens']],
    about: 'own',
    page: '/tokens',
    form: '/tokens/revoke',
    fields: (given) => ({ token: word(given) }),
  },
  { name: 'people', does: 'who looks after the listing', about: 'own', page: '/people', rows: 'members' },
  {
    name: 'invite',
    does: 'make a link that invites one manager',
    about: 'own',
    page: '/people',
    form: '/people/invite',
  },
  {
    name: 'remove-manager',
    does: 'end a manager’s part in the listing',
    arguments: [['<account>', 'the account’s ID, see people']],
    about: 'own',
    page: '/people',
    form: '/people/remove',
    fields: (given) => ({ account: word(given) }),
  },
  {
    name: 'vote',
    does: 'cast the account’s vote on any listing',
    arguments: [['[player]', 'whom to reward, on Minecraft listings']],
    options: [['--without-player', 'on a Minecraft listing, vote although no player is rewarded']],
    about: 'any',
    page: '',
    form: '/vote',
    fields: (given) => ({
      player: word(given),
      ...(given.flags.withoutPlayer === true ? { withoutPlayer: 'on' } : {}),
    }),
  },
];

/** Every operation of the dashboard: addresses and fields are those of its forms. */
export const operations: readonly Operation[] = [...listingOperations, ...deliveryOperations];
