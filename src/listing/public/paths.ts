/** The addresses of the pages that everybody sees. */
export const publicPaths = {
  directory: '/',
  listing: (id: string): string => `/listings/${encodeURIComponent(id)}`,
  vote: (id: string): string => `/listings/${encodeURIComponent(id)}/vote`,
  docs: '/docs',
} as const;
