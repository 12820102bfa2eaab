/**
 * SQL for a name of a player as it was spelt in their latest rewarded vote under it, and in lower case if there is none. Keys are in
 * lower case, and to a server in offline mode another spelling is another player. `+` keeps SQLite from reading all votes by
 * their IDs: the votes of one player are found by an index.
 */
export const spelt = (key: string, history: string): string => `
  ifnull((SELECT v.player FROM votes v
          WHERE v.recipient_id = ${history} AND v.decision = 'rewarded' AND lower(v.player) = ${key}
          ORDER BY +v.id DESC LIMIT 1), ${key})`;
