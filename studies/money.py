"""Amounts of pay: integers of minor units and an ISO 4217 code; a float never touches either."""

import re

from core.errors import CommonplaceError

# ISO 4217, the currencies somebody can be paid in, by how many decimals their minor unit has.
_DIGITS = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF",
    2: "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD "
    "CAD CDF CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD "
    "GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD "
    "MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP "
    "PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS "
    "TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VES WST XCD YER ZAR ZMW ZWG",
    3: "BHD IQD JOD KWD LYD OMR TND",
}
DIGITS = {code: digits for digits, codes in _DIGITS.items() for code in codes.split()}


def currency(text: str) -> str:
    """The code in capitals. Raises `money.currency`."""
    code = text.strip().upper()
    if code not in DIGITS:
        raise CommonplaceError(
            "money.currency",
            f"“{text}” is not a currency. Write its ISO 4217 code of three letters, such as EUR.",
            value=text,
        )
    return code


def minor(text: str, code: str) -> int:
    """The minor units of an amount as people write it: `9.50` EUR is 950. Raises `money.amount`."""
    digits = DIGITS[code]
    found = re.fullmatch(r"(\d{1,9})(?:\.(\d+))?", text.strip(), re.ASCII)
    decimals = (found[2] or "") if found else ""
    if not found or len(decimals) > digits:
        allowed = f"at most {digits} decimals" if digits else "no decimals"
        raise CommonplaceError(
            "money.amount",
            f"“{text}” is not an amount in {code}. Write digits with {allowed}.",
            value=text,
        )
    return int(found[1] + decimals.ljust(digits, "0"))


def plain(amount: int, code: str) -> str:
    """The amount as `minor` reads it: 950 EUR is `9.50`."""
    digits = DIGITS[code]
    if not digits:
        return str(amount)
    whole, rest = divmod(abs(amount), 10**digits)
    return f"{'-' if amount < 0 else ''}{whole}.{rest:0{digits}d}"


def owed(amount: int, *, hourly: bool, worked_ms: int, expected_ms: int, whole: bool = True) -> int:
    """What a participation is owed, in minor units, rounded up: nobody loses a part of one.

    An hourly amount is paid for the time worked. A flat one is paid whole, or, where not the
    `whole` of it is due, in the share of the expected time that was worked, at most all of it.
    """
    if hourly:
        return -(-amount * worked_ms // 3_600_000)
    if whole or not expected_ms:
        return amount
    return min(amount, -(-amount * worked_ms // expected_ms))
