/** What programs ask, without a session. They say no more than a status; `/metrics` needs a token of its own. */
export const healthPaths = ['/healthz', '/readyz', '/metrics'] as const;
