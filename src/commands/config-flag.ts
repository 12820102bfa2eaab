/** The config file if --config is not given. */
export const DEFAULT_CONFIG = 'config.json';

export const CONFIG_FLAG = ['--config <file>', 'the config file', DEFAULT_CONFIG] as const;
