/** The addresses of the public page. */
export const HOME = '/';
export const TOP_JSON = '/top.json';
