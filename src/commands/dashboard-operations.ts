import { deliveryOperations } from './dashboard-delivery-operations.ts';
import { flag, type Operation, word } from './dashboard-operation.ts';

/** Listings, tokens, people and votes. */
const listingOperations: readonly Operation[] = [
  {
    name: 'listings',
    does: 'list the listings that the account owns or manages',
    about: 'none',
    page: '/dashboard',
    rows: 'listings',
    columns: ['id', 'name', 'game', 'role'],
  },
  {
    name: 'add-listing',
    does: 'add a listing; the account becomes its owner',
    arguments: [['<name>', 'the name of the listing']],
    options: [
      ['--kind <kind>', 'bot, minecraft, fivem, roblox or hytale (default: minecraft)'],
      ['--premium', 'each vote has a weight of 2, and still counts as one'],
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
  {
    name: 'overview',
    does: 'show the votes of the last 30 days, top voters, webhook and statistics',
    about: 'own',
    page: '',
  },
  {
    name: 'remove-listing',
    does: 'remove the listing permanently',
    options: [['--yes', 'do not ask']],
    question: 'Remove the listing, its webhook and its tokens permanently?',
    about: 'own',
    page: '',
    form: '/remove',
  },
  {
    name: 'tokens',
    does: 'list the API tokens',
    about: 'own',
    page: '/tokens',
    rows: 'tokens',
    columns: ['id', 'name', 'scopes', 'createdAt', 'lastUsedAt'],
  },
  {
    name: 'create-token',
    does: 'create an API token; it is shown only once',
    arguments: [['<name>', 'the program that will use it']],
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
    does: 'replace a token with a new one; the old one is refused from then on',
    arguments: [['<id>', 'see tokens']],
    about: 'own',
    page: '/tokens',
    form: '/tokens/rotate',
    fields: (given) => ({ token: word(given) }),
  },
  {
    name: 'revoke-token',
    does: 'revoke a token',
    arguments: [['<id>', 'see tokens']],
    about: 'own',
    page: '/tokens',
    form: '/tokens/revoke',
    fields: (given) => ({ token: word(given) }),
  },
  {
    name: 'people',
    does: 'list the people who own or manage the listing',
    about: 'own',
    page: '/people',
    rows: 'members',
  },
  {
    name: 'invite',
    does: 'create a link that invites one manager',
    about: 'own',
    page: '/people',
    form: '/people/invite',
  },
  {
    name: 'remove-manager',
    does: 'remove a manager from the listing',
    arguments: [['<account>', 'the account ID, as shown by people']],
    about: 'own',
    page: '/people',
    form: '/people/remove',
    fields: (given) => ({ account: word(given) }),
  },
  {
    name: 'vote',
    does: 'vote on any listing',
    arguments: [['[player]', 'the player to reward, on Minecraft listings']],
    options: [['--without-player', 'vote on a Minecraft listing without naming a player to reward']],
    about: 'any',
    page: '',
    form: '/vote',
    fields: (given) => ({
      player: word(given),
      ...(given.flags.withoutPlayer === true ? { withoutPlayer: 'on' } : {}),
    }),
  },
];

/** Every operation of the dashboard, with the addresses and fields of its forms. */
export const operations: readonly Operation[] = [...listingOperations, ...deliveryOperations];
