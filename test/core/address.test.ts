import { describe, expect, test } from 'vitest';
import { addressGroup, plainAddress, withinNetworks } from '../../src/core/address.ts';

describe('an address', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:201', '192.0.2.1'],
    ['2001:DB8:0:0:0:0:0:7', '2001:db8::7'],
    ['::1', '::1'],
    ['fe80::1%br-lan.10', 'fe80::1%br-lan.10'],
    ['', ''],
  ])('%j is shown as %j', (address, shown) => {
    expect(plainAddress(address)).toBe(shown);
  });

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '0:0:0:0::/64'],
    // An interface's name may have characters that the address parser rejects.
    ['fe80::1%br-lan.10', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('the limits treat %j as %j', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});

test.each([
  ['203.0.113.7', true],
  ['203.0.114.7', false],
  ['::ffff:203.0.113.7', true],
  ['2001:db8::7', true],
  ['2001:db9::7', false],
  ['fe80::1%br-lan', false],
  ['', false],
  ['nowhere', false],
])('%j within 203.0.113.0/24 or 2001:db8::/32 is %j', (address, isWithin) => {
  expect(withinNetworks(['203.0.113.0/24', '2001:db8::/32'])(address)).toBe(isWithin);
});

test('a network of IPv4-mapped IPv6 addresses equals the IPv4 network', () => {
  const isWithin = withinNetworks(['::ffff:203.0.113.0/120']);
  expect(['203.0.113.7', '203.0.114.7', '::ffff:203.0.113.7'].map(isWithin)).toEqual([true, false, true]);
});
