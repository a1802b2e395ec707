import { expect, test } from 'vitest';
import { linkRule } from '../../../src/platform/links/link-rule.ts';

test.each([
  ['http://localhost./a.jpg', /public address/],
  ['http://app.localhost/a.jpg', /public address/],
  ['http://127.1/a.jpg', /public address/],
  ['http://[fd00::1]/a.jpg', /public address/],
  ['https://8.8.8.8:25/a.jpg', /ports 80 and 443.*FETCH_PORTS/],
  ['http://me@shop.example/a.jpg', /user name/],
  ['ftp://shop.example/a.jpg', /http and https/],
])('%s can never be fetched', (link, reason) => {
  expect(linkRule([])(link)).toMatch(reason);
});

test.each([
  'http://localhost.example/a.jpg',
  'https://shop.example:8443/a.jpg',
  'https://8.8.8.8/a.jpg',
  'http://[2606:4700::1111]:443/a.jpg',
])('%s may be fetched: its host decides', (link) => {
  expect(linkRule([])(link)).toBeUndefined();
});

test('further ports are those of public addresses only', () => {
  const rule = linkRule([], [8443]);
  expect(rule('https://8.8.8.8:8443/a.jpg')).toBeUndefined();
  expect(rule('https://8.8.8.8:8444/a.jpg')).toMatch(/FETCH_PORTS/);
  expect(rule('https://127.0.0.1:8443/a.jpg')).toMatch(/public address/);
  expect(rule('https://[::ffff:10.0.0.1]:8443/a.jpg')).toMatch(/public address/);
});

test('what the operator allows may be fetched on any port', () => {
  const rule = linkRule(['127.0.0.0/8', 'fd00::/8']);
  expect(rule('http://localhost:8080/a.jpg')).toBeUndefined();
  expect(rule('http://[fd00::1]:8080/a.jpg')).toBeUndefined();
  expect(rule('http://10.0.0.1/a.jpg')).toMatch(/public address/);
});
