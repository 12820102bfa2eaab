import { commonJs } from '../core/common-js.ts';

/** Loads the parser when it is first needed: most configs are JSON, and it takes 30 to 40 ms of CPU and 7.5 MiB. */
export const yamlParser = (): typeof import('yaml') => commonJs('yaml');

/** Values are what they look like: `no` and `on` are strings, and keys of other YAML versions have no meaning. */
export const YAML_OPTIONS = { version: '1.2', schema: 'core', merge: false, uniqueKeys: false } as const;

export const isYaml = (file: string): boolean => /\.ya?ml$/i.test(file);
