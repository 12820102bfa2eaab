import { Brand, type Look } from './brand.ts';

/**
 * The two sites show the same ballot box, in different colours: into that of the listing service goes a vote, out of that
 * of Teller comes a reward.
 */
const BOX = '<path d="M4 12.5V19a1.5 1.5 0 0 0 1.5 1.5h13A1.5 1.5 0 0 0 20 19v-6.5M2.5 12.5h19"/>';

const listingLook: Look = {
  drawing: `${BOX}<path d="M8 8l3 3 5.5-7"/>`,
  icon: '#2a93ad',
  light: {
    accent: '#0d5f75',
    'accent-strong': '#094a5c',
    'accent-wash': '#e1eef1',
    'on-accent': '#ffffff',
  },
  dark: {
    accent: '#7ec6da',
    'accent-strong': '#a5dae9',
    'accent-wash': '#16323b',
    'on-accent': '#07222b',
  },
};

const consoleLook: Look = {
  drawing: `${BOX}<path d="M12 .8l4.7 4.6L12 10 7.3 5.4z"/>`,
  icon: '#7b7fd6',
  light: {
    accent: '#474aa0',
    'accent-strong': '#35377f',
    'accent-wash': '#e9e9f6',
    'on-accent': '#ffffff',
  },
  dark: {
    accent: '#b3b5f1',
    'accent-strong': '#cdcef8',
    'accent-wash': '#25274a',
    'on-accent': '#15163a',
  },
};

export const listingBrand = new Brand(listingLook);
export const consoleBrand = new Brand(consoleLook);
