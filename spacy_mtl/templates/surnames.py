"""Surnames of Chinese names: after one of these characters there often stands a given name, which no dictionary has."""

from .characters import character

#: The most frequent ones; most of them are words of their own, too.
SURNAMES = frozenset(
    "王李张刘陈杨黄赵周吴徐孙朱马胡郭林何高梁郑罗宋谢唐韩曹许邓萧冯曾程蔡彭潘袁于董余苏叶吕魏蒋田杜丁沈姜范江傅钟卢汪戴崔任陆廖"
    "姚方金邱夏谭韦贾邹石熊孟秦阎薛侯雷白龙段郝孔邵史毛常万顾赖武康贺严尹钱施牛洪龚汤陶黎温莫易樊乔文安殷颜庄章鲁倪庞邢俞翟蓝聂"
    "齐向申葛柴伍覃骆关焦柳欧祝纪尚毕耿芦左季管符辛苗詹曲靳祁路涂兰甘裴梅童翁霍游阮尤岳柯牟滕谷舒卜成饶宁凌盛查单冉鲍华包屈房喻"
    "解蒲卫简时连车项闵邬吉党阳司费蒙席晏隋古强穆姬宫景米麦谈柏瞿艾沙鄢桂窦郁缪畅巩卓褚栾戚全娄甄郎池丛边岑农苟迟保商臧佘卞虞刁"
    "冷应匡栗仇练楚揭师官佟封燕桑巫敖原植邝仲荆储宗楼干苑寇盖南屠鞠荣井乐银奚明麻雍花闻冼木郜廉衣蔺和冀占公门帅利满"
    # as written traditionally
    "張劉陳楊黃趙吳孫馬羅鄭謝許鄧馮蕭呂蔣葉鍾盧譚韋賈鄒龍賴賀錢龔湯溫莊顏魯齊駱關歐畢靳蘭遊單饒鮑華衛簡連車項閔黨陽費喬鄺樓顧陸嚴萬韓"
)


def is_surname(text: str) -> bool:
    """Whether a character is a frequent surname."""
    return character(text) in SURNAMES
