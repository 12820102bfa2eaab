/** A process that does nothing: the delay of its event loop is the machine's. */
setInterval(() => {}, 2 ** 30);
process.on('SIGTERM', () => process.exit(0));
process.stdout.write('{"msg":"ready","listener":{"port":0}}\n');
