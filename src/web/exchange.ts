import type { Context } from 'hono';

/** The part of a route's context that is needed to answer with a page. */
export type Exchange = Pick<Context, 'req' | 'env' | 'header' | 'html' | 'json' | 'redirect'>;
