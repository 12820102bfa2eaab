import { kindByServer } from '../../config/config.ts';
import { isoTime } from '../../core/instant.ts';
import type { ActedGrant, StuckGroup } from '../../ledger/ledger.ts';
import { grantTraceJson, type Shown } from '../../operator/trace-json.ts';
import { wordsOf } from './group-card.ts';
import type { ListPage } from './list-page.ts';
import { markOf } from './marks.ts';

export const listJson = ({ groups, hasMore, decided, paging, shown }: ListPage) => ({
  groups: groups.map((group) => groupJson(group, shown)),
  hasMore,
  older: paging?.older ?? null,
  decided: decided.map(decidedJson),
});

function groupJson(group: StuckGroup, shown: Shown) {
  const { title, todo } = wordsOf(group, kindByServer(shown.config));
  return {
    server: group.server,
    state: group.state,
    reason: group.reason,
    sentence: title,
    toDo: todo,
    count: group.count,
    changedAt: isoTime(group.changedAt),
    grants: group.grants.map((grant) => ({ mark: markOf(grant), ...grantTraceJson(grant, shown) })),
  };
}

const decidedJson = ({ id, at, ...rest }: ActedGrant) => ({ ...rest, at: isoTime(at) });
