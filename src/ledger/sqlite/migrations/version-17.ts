import type { Migration } from '../../../sqlite/migrate.ts';

/** Parties: how many votes have counted for each, those that were reached, and who is paid for them. */
export const version17: Migration = {
  version: 17,
  sql: `
    -- The round in progress. Which votes counted is stored with them, in reasons; the count is kept so that a vote costs
    -- one update.
    CREATE TABLE parties (
      reward_id  INTEGER PRIMARY KEY, -- of rewards, which has the name
      number     INTEGER NOT NULL,    -- of the party that is reached next
      counted    INTEGER NOT NULL,    -- votes that have counted for it since after_vote
      after_vote INTEGER NOT NULL,
      after_listed INTEGER NOT NULL,  -- as after_vote, for votes of services that were listed later: of listed_votes
      per        TEXT NOT NULL,       -- the count starts again with each such period; '': never
      period     INTEGER NOT NULL,
      doubt      TEXT                 -- a code: why its grants will be held; NULL: they will not
    ) STRICT;

    -- Rule 14: each is reached once.
    CREATE TABLE reached_parties (
      id         INTEGER PRIMARY KEY,
      reward_id  INTEGER NOT NULL,
      number     INTEGER NOT NULL,
      votes      INTEGER NOT NULL,
      after_vote INTEGER NOT NULL, -- its votes came after this one,
      last_vote  INTEGER NOT NULL, -- up to this one
      after_listed INTEGER NOT NULL,
      last_listed  INTEGER NOT NULL,
      reached_by INTEGER NOT NULL REFERENCES votes (id),
      reached_at INTEGER NOT NULL,
      doubt      TEXT,
      fixed_at   INTEGER, -- when it was stored who is paid; NULL: not yet
      UNIQUE (reward_id, number)
    ) STRICT;
    CREATE INDEX reached_parties_open ON reached_parties (id) WHERE fixed_at IS NULL;

    -- Who is paid for a party: the cause 'party' of grants.
    CREATE TABLE party_members (
      id           INTEGER PRIMARY KEY,
      party_id     INTEGER NOT NULL REFERENCES reached_parties (id),
      recipient_id INTEGER NOT NULL REFERENCES recipients (id)
    ) STRICT;
    CREATE INDEX party_members_in ON party_members (party_id);
    CREATE INDEX party_members_of ON party_members (recipient_id);
  `,
};
