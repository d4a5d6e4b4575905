/** A project in which a rename meets everything that has a name: calls, clauses, parameters, locals, aliases, unexported and unnamed functions. */
export const SHOP: Readonly<Record<string, string>> = {
  "semaprax.toml": `schema = "semaprax.project.v1"
name = "shop"
entry = "shop.app"
sources = ["app.spx", "lib/rates.spx", "lib/totals.spx", "tests.spx"]
web_exports = ["shop.app.main", "shop.line", "shop.total"]
tests = ["shop.tests"]
`,
  "app.spx": `module shop.app;
use function @id("shop.total") from shop.totals as total;

@id("shop.app.main")
fn main() -> i64
{
    total(3, 1250)
}
`,
  "lib/rates.spx": `module shop.rates;

@id("shop.cut")
fn cut(amount: i64, unit: i64) -> i64
    requires unit > 0
{
    amount - amount % unit
}
`,
  "lib/totals.spx": `module shop.totals;
use function @id("shop.cut") from shop.rates as down;

@id("shop.line")
fn line(count: i64, cents: i64) -> i64
    requires count >= 0
    ensures result == count * cents
{
    if count == 0 { 0 } else { cents + line(count - 1, cents) }
}

@id("shop.total")
fn total(line: i64, cents: i64) -> i64
    requires line(line, cents) >= 0
{
    let down = line(line, cents);
    let net = line(1, down(down, 5));
    net + line
}
`,
  "tests.spx": `module shop.tests;
use function @id("shop.line") from shop.totals as line;

@id("shop.tests.main")
fn main() -> i64
{
    helper(line(2, 15))
}

fn helper(value: i64) -> i64
{
    if value == 30 { 0 } else { 1 }
}
`,
};
