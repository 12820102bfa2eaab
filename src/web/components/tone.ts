/** What a state means for whoever reads it; colour is never the only thing that says so. */
export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'idle';
