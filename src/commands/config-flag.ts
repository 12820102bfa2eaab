/** The config where none is named. */
export const DEFAULT_CONFIG = 'config.json';

export const CONFIG_FLAG = ['--config <file>', 'the config', DEFAULT_CONFIG] as const;
