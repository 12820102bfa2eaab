import { z } from 'zod';

const lenient = <Kind extends z.ZodType>(kind: Kind) => kind.optional().catch(undefined);

const rewardOutline = z.object({
  name: lenient(z.string()),
  /** As written: each condition reads its own value. */
  if: lenient(z.record(z.string(), z.unknown())),
  /** As written: whether it is there matters as much as what it is. */
  servers: z.unknown().optional(),
  when: lenient(z.string()),
  commands: lenient(z.array(z.unknown())),
});

/**
 * What a config says about sites, game servers, rewards and files, as far as it can be made out. Parts that are
 * wrong in themselves are left out, so that names that do not fit together are reported in the same run as they are.
 */
const outline = z.object({
  sites: z
    .record(
      z.string(),
      lenient(
        z.object({
          token: lenient(z.string()),
          api: lenient(z.object({ token: lenient(z.string()) })),
          webhook: lenient(z.object({ secret: lenient(z.string()), path: lenient(z.string()) })),
        }),
      ),
    )
    .catch({}),
  gameServers: z
    .record(
      z.string(),
      lenient(
        // Its secret is under a key that its kind names.
        z.looseObject({ kind: lenient(z.string()) }),
      ),
    )
    .prefault({ main: {} })
    .catch({}),
  // The default rewards, too, name no game server.
  rewards: z
    .array(lenient(rewardOutline))
    .prefault([{ servers: undefined }])
    .catch([]),
  ledger: z.string().prefault('data/teller.db').catch(''),
  listing: z
    .object({ database: z.string().prefault('data/listing.db').catch('') })
    .prefault({})
    .catch({ database: '' }),
});

export type Outline = z.output<typeof outline>;

export const outlineOf = (value: unknown): Outline => outline.catch(outline.parse({})).parse(value);
