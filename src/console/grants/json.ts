import { isoTime } from '../../core/instant.ts';
import type { ActedGrant } from '../../ledger/ledger.ts';
import { grantTraceJson } from '../../operator/trace-json.ts';
import { buttonWays } from '../../trace/grant-ways.ts';
import { stuckWords } from '../../trace/stuck-words.ts';
import type { ListPage } from './list-page.ts';
import { markOf } from './marks.ts';

export const listJson = ({ groups, hasMore, decided, paging, shown }: ListPage) => ({
  groups: groups.map((group) => ({
    server: group.server,
    state: group.state,
    reason: group.reason,
    sentence: stuckWords(group, buttonWays).title,
    toDo: stuckWords(group, buttonWays).todo,
    count: group.count,
    changedAt: isoTime(group.changedAt),
    grants: group.grants.map((grant) => ({ mark: markOf(grant), ...grantTraceJson(grant, shown) })),
  })),
  hasMore,
  older: paging?.older ?? null,
  decided: decided.map(decidedJson),
});

const decidedJson = ({ id, at, ...rest }: ActedGrant) => ({ ...rest, at: isoTime(at) });
